/*
 * The protocol of a link's creation and of its recipient check, for the model checker Spin. `npm run proof -- model` runs it.
 *
 * As in protocol.pml, a step is what the database does atomically, and a process may crash between two steps. There are two
 * scenarios: answers to the question of one link, and with CREATE requests with one Idempotency-Key. Each macro below that
 * a `-D` defines is a mistake. Spin must find a broken promise then.
 *   COMPARE_FIRST    an answer is compared before its attempt is counted
 *   SPLIT_COUNT      the number of attempts is read, and written later
 *   RETURN_WRONG     the attempt of a wrong answer comes back
 *   NO_ANSWER        a submission does not need an answer
 *   NO_UNIQUE_KEY    the table does not keep a key unique
 *   KEEP_KEY         a deleted link leaves its key behind
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

init {
#ifdef CREATE
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
