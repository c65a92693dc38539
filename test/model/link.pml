/*
 * The protocol of a link's creation, its recipient check and its moments, for the model checker Spin. `npm run proof -- model`
 * runs it.
 *
 * As in protocol.pml, a step is what the database does atomically, and a process may crash between two steps. There are three
 * scenarios: answers to the question of one link, with CREATE requests with one Idempotency-Key, and with LIFE the moments
 * and the ends of one link. Each macro below that a `-D` defines is a mistake. Spin must find a broken promise then.
 *   COMPARE_FIRST    an answer is compared before its attempt is counted
 *   SPLIT_COUNT      the number of attempts is read, and written later
 *   RETURN_WRONG     the attempt of a wrong answer comes back
 *   NO_ANSWER        a submission does not need an answer
 *   NO_UNIQUE_KEY    the table does not keep a key unique
 *   KEEP_KEY         a deleted link leaves its key behind
 *   NO_POSITION      addMoment adds a moment whatever the number of moments is
 *   DECLINE_ALWAYS   addMoment with revoke does not check the state of the link
 *   TELL_ENDED       a submission leaves the link due, and addDueMoments does not check its state
 *   SPLIT_DUE        addDueMoments reads which links are due, and changes them later
 *   FORGET_END       after link.expiring, the link is not due at its end
 */

#define LIMIT 2

byte crashes = 1;

#define mayCrash \
  if \
  :: atomic { crashes > 0 -> crashes--; goto crashed } \
  :: skip \
  fi

/* The link, with its attempts. */
byte attempts;
bool submitted;
bool revoked;

/* What happened. */
byte wrongAnswers;
byte rightAnswers;
byte unlocks;

/* Gives an answer, and submits the link after a right one. */
proctype Recipient(bool isRight) {
  bool hasAnswered = false;
#ifdef SPLIT_COUNT
  byte seen;
#endif

#ifdef COMPARE_FIRST
  if :: isRight -> hasAnswered = true :: else -> wrongAnswers++ fi;
  mayCrash;
#endif
  /* takeAttempt: one statement. */
#ifdef SPLIT_COUNT
  seen = attempts;
  if :: seen >= LIMIT -> goto locked :: else fi;
  attempts = seen + 1;
#else
  if
  :: atomic { attempts < LIMIT -> attempts++ }
  :: atomic { attempts >= LIMIT -> hasAnswered = false; goto locked }
  fi;
#endif
  mayCrash;
#ifndef COMPARE_FIRST
  atomic {
    if
    :: isRight -> hasAnswered = true; rightAnswers++
    :: else -> wrongAnswers++
    fi
  };
  mayCrash;
#endif
  /* returnAttempt: one statement. */
#ifdef RETURN_WRONG
  atomic { if :: attempts > 0 -> attempts-- :: else fi };
#else
  if :: isRight -> atomic { if :: attempts > 0 -> attempts-- :: else fi } :: else fi;
#endif
  mayCrash;
locked:
#ifndef NO_ANSWER
  if :: !hasAnswered -> goto crashed :: else fi;
#endif
  /* submitLink looks at the state of the link again. */
  atomic {
    if
    :: !submitted && !revoked -> submitted = true; assert(hasAnswered)
    :: else
    fi
  };
crashed:
  skip
}

proctype Unlocker() {
  atomic { attempts = 0; unlocks++ }
}

proctype Revoker() {
  atomic { if :: !submitted -> revoked = true :: else fi }
}

/* The row of the link that a request with the Idempotency-Key created: 0 if there is none. */
byte rows;
byte row;
bool keyIsTaken;
byte created;
byte deletions;

/* What each request got. */
byte got[3];

/* insertLinkOnce, then findIdempotentLink if there is a link. The link may be deleted in between: then both once more. */
proctype Requester(byte number) {
  byte before;
  byte tries;
again:
  assert(tries < 2);
  tries++;
  before = row;
#ifdef NO_UNIQUE_KEY
  if
  :: before == 0 ->
     atomic { created++; rows++; row = created; got[number] = row; goto done }
  :: else
  fi;
#else
  atomic {
    if
    :: !keyIsTaken ->
       keyIsTaken = true; created++; rows++; row = created;
       if :: crashes > 0 -> crashes--; goto done :: got[number] = row fi;
       goto done
    :: else
    fi
  };
#endif
  atomic { if :: row != 0 -> got[number] = row; goto done :: else fi };
  goto again;
done:
  skip
}

/* deleteUser or a sweep: the row ends with its key. */
proctype Remover() {
  atomic {
    if
    :: row != 0 ->
       row = 0; rows--; deletions++;
#ifndef KEEP_KEY
       keyIsTaken = false
#endif
    :: else
    fi
  }
}

/* The moments of the link, and how often each position was told. */
#define MAX_MOMENTS 6
byte moments;
byte told[MAX_MOMENTS];
byte starts;
byte notices;
byte expiries;
byte ends;
bool toldAfterEnd;

/* The time, and when the link is due. */
#define NOTICE 1
#define END 2
#define NEVER 3
byte clock;
byte dueAt = NOTICE;

#define isOpen (!submitted && !revoked)

inline tell(position) {
  assert(position < MAX_MOMENTS);
  told[position]++;
  moments = position + 1
}

/* A process reads its clock, and may crash. */
#define readClock \
  at = clock; \
  if \
  :: crashes > 0 -> crashes--; goto crashed \
  :: true \
  fi

/*
 * listMoments, then addMoment. If another moment came in between: once more. A decline revokes the link. An ended process
 * keeps its variables: it sets them to 0, so that equal states are equal.
 */
proctype Person(bool declines) {
  byte seen;
  byte at;
again:
  atomic {
    seen = moments;
    if :: !declines && starts > 0 -> goto crashed :: else fi;
    readClock
  };
  atomic {
    if
#ifndef NO_POSITION
    :: moments != seen -> goto again
#endif
#ifndef DECLINE_ALWAYS
    :: declines && (!isOpen || at >= END) -> goto crashed
#endif
    :: else ->
       tell(seen);
       if
       :: declines -> revoked = true; dueAt = NEVER; ends++
       :: else -> starts++
       fi
    fi
  };
crashed:
  atomic { at = 0; seen = 0 }
}

proctype Submitter() {
  byte at;
  atomic { readClock };
  atomic {
    if
    :: isOpen && at < END ->
       submitted = true; ends++;
#ifndef TELL_ENDED
       dueAt = NEVER
#endif
    :: else
    fi
  };
crashed:
  at = 0
}

/* revokeLink adds its moment in the same statement. */
proctype Ender() {
  byte at;
  atomic { readClock };
  atomic {
    if
    :: isOpen && at < END -> revoked = true; dueAt = NEVER; ends++; tell(moments)
    :: else
    fi
  };
crashed:
  at = 0
}

inline tellDue(at) {
  if
#ifndef TELL_ENDED
  :: !isOpen -> dueAt = NEVER
#endif
  :: else ->
     toldAfterEnd = toldAfterEnd || !isOpen;
     tell(moments);
     if
     :: at >= END -> expiries++; dueAt = NEVER
     :: else ->
        notices++;
#ifdef FORGET_END
        dueAt = NEVER
#else
        dueAt = END
#endif
     fi
  fi
}

/* addDueMoments: one statement, at two times. */
proctype Sweeper() {
  byte at;
  byte calls;
#ifdef SPLIT_DUE
  bool isDue;
#endif
again:
  atomic { calls++; readClock };
#ifdef SPLIT_DUE
  isDue = dueAt <= at;
  atomic {
    if :: isDue -> tellDue(at) :: else fi;
#else
  atomic {
    if :: dueAt <= at -> tellDue(at) :: else fi;
#endif
    if :: calls < 2 -> goto again :: else fi
  };
crashed:
  atomic { at = 0; calls = 0 }
}

proctype Clock() {
  clock = NOTICE;
  clock = END
}

init {
#ifdef LIFE
  atomic {
    run Clock();
    run Person(false);
    if :: run Person(false) :: run Person(true) :: run Ender() fi;
    if :: run Person(true) :: run Submitter() fi;
    run Sweeper();
    run Sweeper()
  };
  timeout;
  assert(_nr_pr == 1);
  /* The next sweep, after the end of the link. */
  atomic { if :: dueAt <= END -> tellDue(END) :: else fi };
  assert(ends <= 1);
  assert(starts <= 1);
  assert(notices <= 1 && expiries <= 1);
  assert(!toldAfterEnd);
  /* A submission that was under way at the end of the link may come after link.expired. */
  assert(ends + expiries >= 1);
  assert(moments == 0 || told[0] == 1);
  assert(moments <= 1 || told[1] == 1);
  assert(moments <= 2 || told[2] == 1);
  assert(moments <= 3 || told[3] == 1);
  assert(moments <= 4 || told[4] == 1)
#elif defined(CREATE)
  atomic {
    run Requester(0);
    run Requester(1);
    run Requester(2);
    if :: run Remover() :: skip fi
  };
  timeout;
  assert(_nr_pr == 1);
  /* One link for the key, and all get it, unless it was deleted in between. */
  assert(rows <= 1);
  assert(created <= 1 + deletions);
  assert(deletions > 0 || ((got[0] == 0 || got[1] == 0 || got[0] == got[1]) && (got[1] == 0 || got[2] == 0 || got[1] == got[2])))
#else
  atomic {
    run Recipient(false);
    run Recipient(false);
    run Recipient(false);
    run Recipient(true);
    if :: run Unlocker() :: run Revoker() :: skip fi
  };
  timeout;
  /* A right answer that is under way during an unlock may return the attempt of another one. */
  assert(unlocks > 0 || wrongAnswers <= LIMIT);
  assert(wrongAnswers <= LIMIT * (1 + unlocks) + rightAnswers * unlocks);
  assert(!(submitted && revoked))
#endif
}
