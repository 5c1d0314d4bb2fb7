/**
 * The Lua text that calls a command with all arguments from an index on, a thousand at a time: unpack() puts them on
 * the stack of Lua, which has room for less than eight thousand. Fields go with their values, so their number is even.
 */
export const withArguments = (command: string, from = 1) =>
  `for first = ${from}, #ARGV, 1000 do redis.call('${command}', KEYS[1], unpack(ARGV, first, math.min(first + 999, #ARGV))) end`
