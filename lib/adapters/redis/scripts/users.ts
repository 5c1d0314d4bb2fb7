import { createScript } from '../client.js'
import { withArguments } from './rows.js'

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
