import { isFirstTime, type Log } from '../logger.js'

/** Warns once that used answers were forgotten, for each ledger of them. */
export const warnOfForgotten = (logger: Log) => (): void => {
  if (isFirstTime(logger, 'used-answers-forgotten')) logger.warn('used-answers-forgotten')
}
