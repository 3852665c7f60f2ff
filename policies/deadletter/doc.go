// Package deadletter keeps writes that the policies gave up in a file, and sends
// them again later.
//
//	store, err := deadletter.Open("/var/lib/orders/letters.db", nil)
//	...
//	client, err := compat.NewClientWithKey(endpoint, cred, options, &policies.Options{DeadLetters: store})
//	...
//	report, err := store.Replay(ctx, client, nil) // when the service is well again, or at the next start
//
// # Keeping
//
// [Store.Keep] returns when the letter is on the disk. A process that is killed
// loses nothing that was kept, nor does a machine that loses its power, unless
// [Options].NoSync is set. Letters that come together share one fsync: on a cloud
// disk a lone caller waits about 2 ms, and 64 at once get 8,000 letters a second
// into the file; without fsync it is 0.07 ms for one. The policies give Keep 2 s.
//
// The store is bounded. When it is full it drops the oldest letter or refuses the
// new one, and in both cases it records the loss, in the same file: how many, how
// large, and of which time, by operation. [Store.Stats] tells; watch it.
//
// A letter holds what the program wrote, and no credential. The file has the
// permissions 0600. It is a bbolt database: one process at a time has it open.
//
// # What happens when something fails
//
//	the process is killed       letters whose Keep had returned are there; the lock is free
//	the machine dies            the same, without NoSync
//	the disk is full            Keep returns the error, and Stats.Failed counts; what was
//	                            kept stays, and Keep works again when there is room
//	the disk hangs              Keep returns when its context ends
//	the store is full           DropOldest or Refuse; Stats.Lost tells what was lost
//	the file is damaged         ErrDamaged from Open, or from whatever meets it: never a
//	                            panic; the file is left as it is
//	one letter is damaged       ErrDamaged for this letter from Letters and Replay
//	two processes               ErrLocked for the second, after LockTimeout
//
// # Replaying
//
// [Store.Replay] walks through the letters, oldest first, and sends each one
// through an ordinary client, whose own policies apply. What was sent is, byte for
// byte, what is sent again: condition, triggers, partition key, session token. A
// letter is deleted only when its success is known, so a replay may be ended at
// any time, by its context or with the process; the next one goes on.
//
//	success                                    done
//	404 to a delete                            done: the item is gone
//	409, 412, 404 in a batch                   done if the account has what the letter writes: an
//	                                           earlier attempt did it; else conflict. For a patch
//	                                           that cannot be told: conflict
//	404 to a replace or a patch                conflict
//	408, 410, 429, 449, 5xx, 403/3, 403/1008,  failed; after three of these in a row the replay
//	404/1002, no answer                        ends with ErrOutage
//	anything else                              failed; it will again
//	an earlier letter of the item is kept      skipped with ErrHeld: the writes of one item stay
//	                                           in order
//	it may have run, and has no ETag           skipped with ErrUnguarded, unless told otherwise
//	a stored procedure                         skipped with ErrNoExecute, unless there is a function
//	                                           for it: azcosmos has no call
//
// An upsert, a replace, a delete, a patch and a batch without an ETag would be
// executed a second time if an earlier attempt had been executed unseen. Those
// that surely never ran are sent, once: the policies do not repeat them either,
// and before it is sent the letter is marked, so that a replay that is killed
// then leaves it in doubt and not to be repeated. A create needs no ETag.
//
// A client of azcosmos 1.5.0-beta.7 that could not read the account at first says
// so for 5 min: in an outage, make a new one for each replay.
//
// The order holds among letters. A program that goes on writing while letters
// wait may find its newer write undone by an older one; ETags prevent that, and
// so does replaying before the program begins its work.
package deadletter
