import { createScript } from '../client.js'
import { withArguments } from './rows.js'

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

/** Removes the expiry of a row whose `userId` is ARGV[1]. Gives 1, or 0 when there is no such row of this user. */
export const KEEP_OWNED = createScript(`
if redis.call('HGET', KEYS[1], 'userId') ~= ARGV[1] then return 0 end
redis.call('PERSIST', KEYS[1])
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
