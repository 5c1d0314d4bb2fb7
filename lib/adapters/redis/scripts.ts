import { createScript } from './client.js'

/*
 * Every script works on keys of one slot, so each is one atomic step on a cluster, too. ARGV[1] and ARGV[2] of those that write rows
 * are the command and the time that set an expiry, or two empty texts; the rest are names and values of fields.
 */

/**
 * Calls a command with the arguments from a place on, a thousand at a time: unpack() puts them on the stack of Lua, which has room for less than
 * eight thousand. Fields go with their values, so their number is even.
 */
const withArguments = (command: string, from = 1) =>
  `for first = ${from}, #ARGV, 1000 do redis.call('${command}', KEYS[1], unpack(ARGV, first, math.min(first + 999, #ARGV))) end`

const EXPIRE = `if ARGV[1] ~= '' then redis.call(ARGV[1], KEYS[1], ARGV[2]) end`

/** Writes a row where there is none. Gives 1, or 0 when there is one. */
export const INSERT = createScript(`
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
${withArguments('HSET', 3)}
${EXPIRE}
return 1`)

/** Writes a row in place of any that is there. */
export const REPLACE = createScript(`
redis.call('DEL', KEYS[1])
${withArguments('HSET', 3)}
${EXPIRE}
return 1`)

/** Changes fields of a row that is there. Gives the row, or nothing. */
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

/** Deletes a user (KEYS[1]) and gives it; notes (KEYS[2]) that what is theirs is to follow. */
export const TAKE_USER = createScript(`
local row = redis.call('HGETALL', KEYS[1])
redis.call('DEL', KEYS[1])
redis.call('SET', KEYS[2], '1')
return row`)

/** Deletes a row whose `userId` is ARGV[1]. Gives 1, or 0 when it is another's or not there. */
export const DELETE_OWNED = createScript(`
if redis.call('HGET', KEYS[1], 'userId') ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])`)

/** Removes an expiry. Gives 1 when the key is there. */
export const KEEP = createScript(`
redis.call('PERSIST', KEYS[1])
return redis.call('EXISTS', KEYS[1])`)

/** Sets a text where there is ARGV[1], or nothing when that is empty. Gives what is there instead, if something else is. */
export const SWAP = createScript(`
local current = redis.call('GET', KEYS[1]) or ''
if current ~= ARGV[1] then return current end
redis.call('SET', KEYS[1], ARGV[2])
return nil`)

/** Deletes a text that is ARGV[1]. */
export const DELETE_TEXT = createScript(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])`)

/** Whether a user (KEYS[1]) has the address ARGV[1], or is about to get it (KEYS[2]). */
export const HAS_EMAIL = createScript(`
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
if redis.call('HGET', KEYS[1], 'email') == ARGV[1] then return 1 end
return redis.call('EXISTS', KEYS[2])`)

/** Announces that a user gets another address, for ARGV[2] milliseconds, as ARGV[1]. Gives 0 when there is no such user. */
export const BEGIN_EMAIL_MOVE = createScript(`
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[2])
return 1`)

/**
 * Changes fields of a user whose address is still ARGV[1], empty for one without; unless ARGV[2] is empty, only while the move announced with it stands.
 * Gives the user, or nothing.
 */
export const MOVE_EMAIL = createScript(`
if (redis.call('HGET', KEYS[1], 'email') or '') ~= ARGV[1] then return nil end
if ARGV[2] ~= '' and redis.call('GET', KEYS[2]) ~= ARGV[2] then return nil end
${withArguments('HSET', 3)}
redis.call('DEL', KEYS[2])
return redis.call('HGETALL', KEYS[1])`)

/** Adds a member to a set of a user who exists. Gives 0 when there is no such user. */
export const ADD_TO_USER = createScript(`
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('SADD', KEYS[2], ARGV[1])
return 1`)

/** Adds members to a set. */
export const ADD = createScript(withArguments('SADD'))

/** Removes members from a set. */
export const REMOVE = createScript(withArguments('SREM'))

/**
 * Notes in a sorted set that ARGV[1] ends at ARGV[2], milliseconds since the epoch, and forgets what has ended by ARGV[3]. The set leaves with
 * the last of its members.
 */
export const NOTE_END = createScript(`
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[3])
redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
local last = redis.call('ZREVRANGE', KEYS[1], 0, 0, 'WITHSCORES')
return redis.call('PEXPIREAT', KEYS[1], last[2])`)

/** All members of a sorted set. */
export const MEMBERS = createScript(`return redis.call('ZRANGE', KEYS[1], 0, -1)`)

/** Removes members from a sorted set. */
export const FORGET = createScript(withArguments('ZREM'))

/** Whether a key is there. */
export const EXISTS = createScript(`return redis.call('EXISTS', KEYS[1])`)

/** Raises the counter of a passkey to ARGV[1]; it never falls. Gives the passkey, or nothing. */
export const RAISE_COUNTER = createScript(`
local counter = redis.call('HGET', KEYS[1], 'counter')
if not counter then return nil end
if tonumber(ARGV[1]) > tonumber(counter) then redis.call('HSET', KEYS[1], 'counter', ARGV[1]) end
return redis.call('HGETALL', KEYS[1])`)
