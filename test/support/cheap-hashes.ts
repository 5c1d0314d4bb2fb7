import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

/**
 * Hashing passwords takes a third of the time of the everyday tests, which sign people in hundreds of times. So the processes of the
 * tests hash with a hundredth of the work, wherever the cost of Latchkey is asked for; other costs, as of hashes from elsewhere, are
 * untouched. What the hash is has tests in a process of its own (`test/features/password/hash.test.ts`).
 */
const { scrypt } = crypto
const cheap = (password: crypto.BinaryLike, salt: crypto.BinaryLike, length: number, ...rest: unknown[]) => {
  const [cost, callback] = rest as [crypto.ScryptOptions, Parameters<typeof scrypt>[3]]
  const isOurs = cost.N === 2 ** 15 && cost.r === 8 && cost.p === 3
  scrypt(password, salt, length, isOurs ? { ...cost, N: 2 ** 8 } : cost, callback as never)
}
Object.assign(crypto, { scrypt: cheap })
syncBuiltinESMExports()
