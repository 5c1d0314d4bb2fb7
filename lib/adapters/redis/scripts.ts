import { createScript } from './client.js'

/**
 * The Lua text that calls a command with all arguments from an index on, a thousand at a time: unpack() puts them on
 * the stack of Lua, which has room for less than eight thousand. Fields go with their values, so their number is even.
 */
const withArguments = (command: string, from = 1) =>
  `for first = ${from}, #ARGV, 1000 do redis.call('${command}', KEYS[1], unpack(ARGV, first, math.min(first + 999, #ARGV))) end`

/*
 * Every script works on keys of one slot, so each is one atomic step on a cluster, too. ARGV[1] and ARGV[2] of the
 * scripts that write rows are the command and the time that set an expiry, or two empty texts. The rest are names and
 * values of fields.
 */

const EXPIRE = `if ARGV[1] ~= '' then redis.call(ARGV[1], KEYS[1], ARGV[2]) end`

/** Writes a row if there is none. Gives 1, or 0 when there is one. */
export const INSERT = createScript(`
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
${withArguments('HSET', 3)}
${EXPIRE}
return 1`)

/** Writes a row, in place of any row that is there. */
export const REPLACE = createScript(`
redis.call('DEL', KEYS[1])
${withArguments('HSET', 3)}
${EXPIRE}
return 1`)

/** Changes fields of an existing row. Gives the row, or nothing when there is none. */
export const UPDATE = createScript(`
if redis.call('EXISTS', KEYS[1]) == 0 then return nil end
${withArguments('HSET', 3)}
${EXPIRE}
return redis.call('HGETALL', KEYS[1])`)

/** Deletes a row and gives it. */
export const TAKE = createScript(`
local row = redis.call('HGETALL', KEYS[1])
redis.call('DEL', KEYS[1])
return row`)

/** Deletes a row whose member ARGV[1] is ARGV[2], and gives it. Gives nothing when there is no such row. */
export const TAKE_OWNED = createScript(`
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return nil end
local row = redis.call('HGETALL', KEYS[1])
redis.call('DEL', KEYS[1])
return row`)

/** Removes the expiry of a row whose member ARGV[1] is ARGV[2]. Gives 1, or 0 when there is no such row. */
export const KEEP = createScript(`
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('PERSIST', KEYS[1])
return 1`)

/**
 * Sets a text if the present text is ARGV[1]; an empty ARGV[1] means that there is none. Gives the present text if it
 * is another one.
 */
export const SWAP = createScript(`
local current = redis.call('GET', KEYS[1]) or ''
if current ~= ARGV[1] then return current end
redis.call('SET', KEYS[1], ARGV[2])
return nil`)

/** Deletes a text if it is ARGV[1]. */
export const DELETE_TEXT = createScript(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])`)

/** Removes members from a set. */
export const REMOVE = createScript(withArguments('SREM'))

/**
 * Records in a sorted set that ARGV[1] ends at ARGV[2], milliseconds since the epoch, unless a later end is recorded,
 * and removes the members that ended by ARGV[3]. The set expires with its last member.
 */
export const NOTE_END = createScript(`
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[3])
redis.call('ZADD', KEYS[1], 'GT', ARGV[2], ARGV[1])
local last = redis.call('ZREVRANGE', KEYS[1], 0, 0, 'WITHSCORES')
return redis.call('PEXPIREAT', KEYS[1], last[2])`)

/** All members of a sorted set. */
export const MEMBERS = createScript(`return redis.call('ZRANGE', KEYS[1], 0, -1)`)

/** The ARGV[2] members of a sorted set that end last, without those that ended by ARGV[1]. The last end comes first. */
export const LATEST = createScript(
  `return redis.call('ZRANGE', KEYS[1], '+inf', '(' .. ARGV[1], 'BYSCORE', 'REV', 'LIMIT', 0, ARGV[2])`,
)

/** Removes members from a sorted set. */
export const FORGET = createScript(withArguments('ZREM'))

/** Whether a key is there. */
export const EXISTS = createScript(`return redis.call('EXISTS', KEYS[1])`)

/**
 * Sets `revokedAt` of a token session to ARGV[1], unless it has one. Gives the row, or nothing when it was revoked
 * before, or when there is none.
 */
export const REVOKE = createScript(`
if redis.call('EXISTS', KEYS[1]) == 0 then return nil end
local revoked = redis.call('HGET', KEYS[1], 'revokedAt')
if revoked and revoked ~= 'null' then return nil end
redis.call('HSET', KEYS[1], 'revokedAt', ARGV[1])
return redis.call('HGETALL', KEYS[1])`)

/** Raises the counter of a passkey to ARGV[1]; it never falls. Gives the passkey, or nothing. */
export const RAISE_COUNTER = createScript(`
local counter = redis.call('HGET', KEYS[1], 'counter')
if not counter then return nil end
if tonumber(ARGV[1]) > tonumber(counter) then redis.call('HSET', KEYS[1], 'counter', ARGV[1]) end
return redis.call('HGETALL', KEYS[1])`)

/**
 * Changes members of an account that has the expected values. ARGV[1] is the number of texts that say what is expected,
 * names and values. These texts follow, and then the names and values to set. The value "null" is expected of a member
 * that is not there, too. Gives 1, or 0 when there is no such account, or when it has another value.
 */
export const CHANGE_ACCOUNT = createScript(`
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
local set = 2 + ARGV[1]
for index = 2, set - 1, 2 do
  if (redis.call('HGET', KEYS[1], ARGV[index]) or 'null') ~= ARGV[index + 1] then return 0 end
end
for index = set, #ARGV, 2 do redis.call('HSET', KEYS[1], ARGV[index], ARGV[index + 1]) end
return 1`)

/**
 * Changes a record whose version is ARGV[3]. ARGV[1] and ARGV[2] set the expiry; without them, the record gets none. Gives 1, or 0
 * when there is no such record.
 */
export const CHANGE_RECORD = createScript(`
if redis.call('HGET', KEYS[1], 'version') ~= ARGV[3] then return 0 end
${withArguments('HSET', 4)}
redis.call('PERSIST', KEYS[1])
${EXPIRE}
return 1`)

/** Deletes a user (KEYS[1]) and gives the user. Records (KEYS[2]) that the rows of the user are still to be deleted. */
export const TAKE_USER = createScript(`
local row = redis.call('HGETALL', KEYS[1])
redis.call('DEL', KEYS[1])
redis.call('SET', KEYS[2], '1')
return row`)

/**
 * Records (KEYS[3]) that the rows of a user are to be deleted, if the user (KEYS[1]) does not exist and a set of the
 * user's accounts (KEYS[2]) does.
 */
export const MARK_DELETION = createScript(`
if redis.call('EXISTS', KEYS[1]) == 1 or redis.call('EXISTS', KEYS[2]) == 0 then return 0 end
redis.call('SET', KEYS[3], '1')
return 1`)

/** Whether the deletion (KEYS[2]) of a user has begun and the user (KEYS[1]) does not exist: 1 or 0. */
export const IS_BEING_DELETED = createScript(`
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
return redis.call('EXISTS', KEYS[2])`)

/**
 * The members of a set (KEYS[1]), while the deletion of its user (KEYS[2]) is recorded. None of them belongs to a later
 * user with the same id.
 */
export const MEMBERS_TO_DELETE = createScript(`
if redis.call('EXISTS', KEYS[2]) == 0 then return {} end
return redis.call('SMEMBERS', KEYS[1])`)

/**
 * Adds a member to a set (KEYS[2]) of a user (KEYS[1]). Gives 0 while the deletion of the user (KEYS[3]) is not
 * finished.
 */
export const ADD_UNLESS_BEING_DELETED = createScript(`
if redis.call('EXISTS', KEYS[1]) == 0 and redis.call('EXISTS', KEYS[3]) == 1 then return 0 end
redis.call('SADD', KEYS[2], ARGV[1])
return 1`)

/** Adds a member to a set of a user who exists. Gives 0 when there is no such user. */
export const ADD_TO_USER = createScript(`
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('SADD', KEYS[2], ARGV[1])
return 1`)

/** Whether a user (KEYS[1]) has the address ARGV[1], or a change of the address (KEYS[2]) is announced: 1 or 0. */
export const HAS_EMAIL = createScript(`
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
if redis.call('HGET', KEYS[1], 'email') == ARGV[1] then return 1 end
return redis.call('EXISTS', KEYS[2])`)

/**
 * Announces for ARGV[2] milliseconds, as ARGV[1], that a user gets another address. Gives 0 when there is no such user.
 */
export const BEGIN_EMAIL_MOVE = createScript(`
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[2])
return 1`)

/**
 * Changes fields of a user whose address is still ARGV[1], which is empty for a user without an address. Unless ARGV[2]
 * is empty, the change that was announced as ARGV[2] must still be announced. Gives the user, or nothing.
 */
export const MOVE_EMAIL = createScript(`
if (redis.call('HGET', KEYS[1], 'email') or '') ~= ARGV[1] then return nil end
if ARGV[2] ~= '' and redis.call('GET', KEYS[2]) ~= ARGV[2] then return nil end
${withArguments('HSET', 3)}
redis.call('DEL', KEYS[2])
return redis.call('HGETALL', KEYS[1])`)

/**
 * The field of a user whose sign-up on a cluster is not finished. Its value is the time of the last sign of life,
 * milliseconds since the epoch. Look-ups do not find such a user.
 */
export const UNFINISHED = ':under-way'

/**
 * Stores a whole sign-up: the user, the account, the set of the user's accounts, the reservation of the address, the
 * passkey, the set of the user's passkeys. If there is no address or no passkey, its keys can be any. ARGV[1] is the
 * reservation that may be there already, ARGV[2] the new reservation, empty for none; ARGV[3] is the passkey's id, empty
 * for none; ARGV[4] and ARGV[5] are the numbers of texts that the user and the account consist of. Gives what prevents the sign-up, or
 * "done".
 */
export const SIGN_UP = createScript(`
local function write(key, first, last)
  for from = first, last, 1000 do redis.call('HSET', key, unpack(ARGV, from, math.min(from + 999, last))) end
end
if redis.call('EXISTS', KEYS[1]) == 1 then return {'user'} end
if redis.call('EXISTS', KEYS[2]) == 1 then return {'account'} end
if ARGV[3] ~= '' and redis.call('EXISTS', KEYS[5]) == 1 then return {'passkey'} end
if ARGV[2] ~= '' then
  local reservation = redis.call('GET', KEYS[4]) or ''
  if reservation ~= ARGV[1] then return {'reservation', reservation} end
  redis.call('SET', KEYS[4], ARGV[2])
end
local account = 6 + ARGV[4]
local passkey = account + ARGV[5]
write(KEYS[1], 6, account - 1)
write(KEYS[2], account, passkey - 1)
redis.call('SADD', KEYS[3], KEYS[2])
if ARGV[3] ~= '' then
  write(KEYS[5], passkey, #ARGV)
  redis.call('SADD', KEYS[6], ARGV[3])
end
return {'done'}`)

/**
 * Whether a user exists and their sign-up is finished: 1 or 0. While the sign-up is not finished: 2, unless its last
 * sign of life is older than ARGV[1]. Then it was interrupted, and the user is deleted, so that the sign-up cannot be
 * finished any more.
 */
export const IS_SETTLED = createScript(`
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
local since = redis.call('HGET', KEYS[1], '${UNFINISHED}')
if not since then return 1 end
if tonumber(since) >= tonumber(ARGV[1]) then return 2 end
redis.call('DEL', KEYS[1])
return 0`)

/**
 * Sets the last sign of life of a sign-up to ARGV[1], and its expiry to ARGV[2] milliseconds. Gives 0 when the user was
 * deleted.
 */
export const RENEW = createScript(`
if not redis.call('HGET', KEYS[1], '${UNFINISHED}') then return 0 end
redis.call('HSET', KEYS[1], '${UNFINISHED}', ARGV[1])
return redis.call('PEXPIRE', KEYS[1], ARGV[2])`)

/**
 * Records for ARGV[1] milliseconds what a user whose sign-up is not finished (KEYS[1]) will have: the account ARGV[2]
 * in KEYS[2], and the passkey ARGV[3] in KEYS[3] unless ARGV[3] is empty. Gives 0 when the user was deleted.
 */
export const NOTE_OWNED = createScript(`
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
for index = 2, 3 do
  if ARGV[index] ~= '' then
    redis.call('SADD', KEYS[index], ARGV[index])
    redis.call('PEXPIRE', KEYS[index], ARGV[1])
  end
end
return 1`)

/**
 * Finishes a sign-up: writes the user (KEYS[1]) without an expiry, and removes the expiry of the user's sets (KEYS[2],
 * KEYS[3]). Gives 0 when the user was deleted.
 */
export const END_SIGN_UP = createScript(`
if not redis.call('HGET', KEYS[1], '${UNFINISHED}') then return 0 end
redis.call('DEL', KEYS[1])
${withArguments('HSET')}
redis.call('PERSIST', KEYS[2])
redis.call('PERSIST', KEYS[3])
return 1`)
