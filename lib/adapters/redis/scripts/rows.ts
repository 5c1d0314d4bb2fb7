import { createScript } from '../client.js'

/**
 * The Lua text that calls a command with all arguments from an index on, a thousand at a time: unpack() puts them on
 * the stack of Lua, which has room for less than eight thousand. Fields go with their values, so their number is even.
 */
export const withArguments = (command: string, from = 1) =>
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

/** Deletes a row whose `userId` is ARGV[1]. Gives 1, or 0 when there is no such row of this user. */
export const DELETE_OWNED = createScript(`
if redis.call('HGET', KEYS[1], 'userId') ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])`)

/** Deletes a row whose `userId` is ARGV[1], and gives it. Gives nothing when there is no such row of this user. */
export const TAKE_OWNED = createScript(`
if redis.call('HGET', KEYS[1], 'userId') ~= ARGV[1] then return nil end
local row = redis.call('HGETALL', KEYS[1])
redis.call('DEL', KEYS[1])
return row`)

/** Removes an expiry. Gives 1 when the key is there. */
export const KEEP = createScript(`
redis.call('PERSIST', KEYS[1])
return redis.call('EXISTS', KEYS[1])`)

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
