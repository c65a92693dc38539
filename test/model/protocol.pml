/*
 * The protocol of submission and delivery, for the model checker Spin. `npm run proof -- model` runs it.
 *
 * Spin tries every order of the steps of all processes. A step is what the database does atomically: a statement waits
 * for a row lock, changes rows, commits. Between two steps any other process may run, and a process may crash.
 *
 * There are two scenarios: submissions of one link with their delivery, and with ORDER submissions of two links with a
 * reader. Each macro below that a `-D` defines is a mistake. Spin must find a broken promise then.
 *   NO_ROW_LOCK       submitLink does not lock the row of the link
 *   NO_RECHECK        submitLink trusts what findLink saw
 *   NO_SEQUENCE_LOCK  the number of a submission is not locked until the commit
 *   EVENT_LATER       the event is recorded after the commit, not with it
 *   DELIVER_FIRST     the delivery begins before the commit
 *   SETTLE_FIRST      the event is settled before onSubmit has handled it
 *   FAILURE_SETTLES   a failed attempt settles the event
 *   NO_LEASE          an event is delivered by everyone who sees it
 *   LATE_POSTPONE     an attempt whose lease has ended postpones the event of the next one
 *   SESSIONS_FIRST    deleteUser deletes the sessions before the links
 */

#define LINKS 2
#define NOBODY 255

/* A row of the table of links. All links belong to one user of one client. */
bool exists[LINKS] = true;
bool submitted[LINKS];
bool revoked[LINKS];
byte rowLock[LINKS] = NOBODY;

/* The session of a link, and its number in the order of submission. */
byte sessions[LINKS];
byte number[LINKS];
byte last;
byte sequenceLock = NOBODY;

/* The event of a link: recorded until it is settled. `holder` has the lease. */
bool pending[LINKS];
byte holder[LINKS] = NOBODY;
byte attempts[LINKS];
/* The process that makes an attempt within its lease. */
byte working[LINKS] = NOBODY;

/* What the callers know. */
bool acknowledged[LINKS];
bool handled[LINKS];
bool userDeleted;

/* How often things may go wrong in one run. */
byte crashes = 1;
byte failures = 1;
byte slowAttempts = 1;

/* The position of a reader of listClientSessions, and what it got. */
byte cursor;
bool seen[LINKS];

#define isUsable(l) (exists[l] && !submitted[l] && !revoked[l])

/* The process ends here, at any step: its locks are free, and its attempt has no end. */
#define mayCrash(l) \
  if \
  :: atomic { crashes > 0 -> crashes--; release(l); goto crashed } \
  :: skip \
  fi

inline release(l) {
  if :: rowLock[l] == _pid -> rowLock[l] = NOBODY :: else fi;
  if :: sequenceLock == _pid -> sequenceLock = NOBODY :: else fi;
  if :: working[l] == _pid -> working[l] = NOBODY :: else fi
}

/* One attempt: onSubmit, then the settlement. `mine` is the number of the attempt. */
inline attempt(l) {
#ifdef SETTLE_FIRST
  pending[l] = false;
  mayCrash(l);
#endif
  if
  :: atomic {
      /* Delivered after the commit. A user that is deleted meanwhile has no session any more. */
      assert(sessions[l] > 0 || userDeleted || !exists[l]);
      handled[l] = true;
      isHandled = true
    }
  :: atomic { failures > 0 -> failures--; isHandled = false }
  fi;
  mayCrash(l);
  atomic {
    if
#ifdef FAILURE_SETTLES
    :: true -> pending[l] = false
#else
    :: isHandled -> pending[l] = false
#ifdef LATE_POSTPONE
    :: !isHandled -> holder[l] = NOBODY
#else
    :: !isHandled && attempts[l] == mine -> holder[l] = NOBODY
    :: !isHandled && attempts[l] != mine -> skip
#endif
#endif
    fi;
    if :: working[l] == _pid -> working[l] = NOBODY :: else fi
  }
}

/* Accepts a claim. */
proctype Submitter(byte l) {
  bool isHandled;
  byte mine = 1;
  byte taken;
  bool sawUsable;

  /* findLink */
  sawUsable = isUsable(l);
  if :: !sawUsable -> goto rejected :: else fi;
  mayCrash(l);
#ifdef DELIVER_FIRST
  attempt(l);
#endif

  /* submitLink: lock the link, look at its state again, take a number, commit. */
#ifndef NO_ROW_LOCK
  atomic { rowLock[l] == NOBODY -> rowLock[l] = _pid };
#endif
#ifndef NO_RECHECK
  if
  :: atomic { !isUsable(l) -> release(l); goto rejected }
  :: else
  fi;
#endif
#ifndef NO_SEQUENCE_LOCK
  atomic { sequenceLock == NOBODY -> sequenceLock = _pid };
#endif
  atomic { last++; taken = last };
  mayCrash(l);
  d_step {
    /* The commit. */
    submitted[l] = true;
    sessions[l]++;
    number[l] = taken;
#ifndef EVENT_LATER
    pending[l] = true; holder[l] = _pid; attempts[l] = 1; working[l] = _pid;
#endif
    if :: rowLock[l] == _pid -> rowLock[l] = NOBODY :: else fi;
    if :: sequenceLock == _pid -> sequenceLock = NOBODY :: else fi
  }
  mayCrash(l);
#ifdef EVENT_LATER
  d_step { pending[l] = true; holder[l] = _pid; attempts[l] = 1; working[l] = _pid }
#endif
  acknowledged[l] = true;
  attempt(l);
rejected:
crashed:
  skip
}

/* Selects an event that is due. */
inline select_due(l) {
  if
#ifdef NO_LEASE
  :: pending[0] && attempts[0] < 3 -> l = 0
  :: pending[1] && attempts[1] < 3 -> l = 1
#else
  :: pending[0] && holder[0] == NOBODY -> l = 0
  :: pending[1] && holder[1] == NOBODY -> l = 1
#endif
  fi
}

/* deliverPending, on a timer. It runs as long as there are events. */
proctype Deliverer() {
  bool isHandled;
  byte mine;
  byte l;
end:
  do
  :: atomic {
      select_due(l);
      holder[l] = _pid; attempts[l]++; mine = attempts[l];
      /* No other attempt runs within its lease. */
      assert(working[l] == NOBODY);
      working[l] = _pid
    };
    attempt(l)
  od;
crashed:
  /* The process starts again. */
  goto end
}

/* Ends leases: of a process that crashed at any time, of one that is slow as often as `slowAttempts`. */
proctype Clock() {
  byte l;
end:
  do
  :: atomic { pending[0] && holder[0] != NOBODY && working[0] == NOBODY -> holder[0] = NOBODY }
  :: atomic { pending[1] && holder[1] != NOBODY && working[1] == NOBODY -> holder[1] = NOBODY }
  :: atomic {
      slowAttempts > 0 && pending[0] && working[0] != NOBODY ->
      slowAttempts--; holder[0] = NOBODY; working[0] = NOBODY
    }
  od
}

proctype Revoker(byte l) {
  atomic {
    rowLock[l] == NOBODY;
    if :: isUsable(l) -> revoked[l] = true :: else fi
  }
}

inline deleteLinks() {
  /* The statement waits for the submissions that hold a lock. */
  atomic { rowLock[0] == NOBODY -> exists[0] = false };
  atomic { rowLock[1] == NOBODY -> exists[1] = false }
}

inline deleteSessions() {
  d_step {
    sessions[0] = 0; pending[0] = false;
    sessions[1] = 0; pending[1] = false
  }
}

/* deleteUser: two statements. */
proctype Deleter() {
#ifdef SESSIONS_FIRST
  deleteSessions();
  deleteLinks();
#else
  deleteLinks();
  deleteSessions();
#endif
  userDeleted = true
}

inline read(l) {
  if :: sessions[l] > 0 && number[l] > cursor -> seen[l] = true :: else fi
}

inline readPage() {
  d_step {
    read(0);
    read(1);
    if :: seen[0] && number[0] > cursor -> cursor = number[0] :: else fi;
    if :: seen[1] && number[1] > cursor -> cursor = number[1] :: else fi
  }
}

/* Follows the cursor of listClientSessions. */
proctype Reader() {
  readPage();
  readPage()
}

inline promises(l) {
  /* One session per link. */
  assert(sessions[l] <= 1);
  /* Of a revocation and a submission, one succeeds. */
  assert(!(submitted[l] && revoked[l]));
  /* An acknowledged submission is there, unless its user was deleted. */
  assert(!acknowledged[l] || sessions[l] == 1 || userDeleted);
#ifndef ORDER
  /* Delivered at least once. */
  assert(sessions[l] == 0 || handled[l]);
#endif
  /* Readers get each session. */
  assert(sessions[l] == 0 || seen[l]);
  /* Nothing of a deleted user stays. */
  assert(!userDeleted || sessions[l] == 0)
}

init {
  atomic {
#ifdef ORDER
    /* Submissions of two links, and a reader of both. */
    run Submitter(0);
    run Submitter(1);
    run Reader();
    if :: run Deleter() :: skip fi
#else
    /* Two submissions of one link, and two processes that deliver. */
    run Submitter(0);
    run Submitter(0);
    run Deliverer();
    run Deliverer();
    run Clock();
    if :: run Revoker(0) :: run Deleter() :: skip fi
#endif
  };
  /* Nothing else can happen: the end of a run. */
  timeout;
  readPage();
  promises(0);
  promises(1)
}
