// What a person at the insurer still has to do about a link: a table beside those of claimlink, without personal data.

/** After any other event of a link: nothing follows a claim. */
const LAST = new Date(8.64e15);

export function createTasks(database) {
  database.exec(
    'CREATE TABLE IF NOT EXISTS tasks (link_id TEXT PRIMARY KEY, task TEXT NOT NULL, at INTEGER NOT NULL)',
  );
  // Events arrive in any order, and again: an older one changes nothing. `at` of `link.expired` is the end of the link, and its
  // `sequence` may be higher than that of a request which came soon after the end.
  const set = database.prepare(`INSERT INTO tasks (link_id, task, at) VALUES (?, ?, ?)
    ON CONFLICT (link_id) DO UPDATE SET task = excluded.task, at = excluded.at
    WHERE excluded.at >= tasks.at`);
  const remove = database.prepare('DELETE FROM tasks WHERE link_id = ?');
  return {
    /** Sets the task of the link of an event. */
    set({ linkId, at = LAST }, task) {
      set.run(linkId, task, at.getTime());
    },
    delete(linkId) {
      remove.run(linkId);
    },
    /** Returns the links with a task. */
    list() {
      return database.prepare(`SELECT link_id AS linkId, task FROM tasks WHERE task <> 'none'`).all();
    },
  };
}
