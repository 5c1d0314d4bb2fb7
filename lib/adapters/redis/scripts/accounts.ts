import { createScript } from '../client.js'

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
