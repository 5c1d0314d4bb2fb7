import { expect } from 'chai'

/** The error that work fails with. If the work succeeds, the test fails. */
export const failureOf = <Failure extends Error = Error>(work: unknown): Promise<Failure> =>
  Promise.resolve(work).then(
    (value) => expect.fail(`it gave ${JSON.stringify(value)}`),
    (error) => error,
  )
