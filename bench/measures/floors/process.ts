import { type Pace, timeLoops } from '../../loop/hot-loop.js'
import { report, taskOf } from '../../loop/pinned.js'
import { guardLoops } from './guard-loops.js'
import { tokenLoops } from './token-loops.js'
import { webLoops } from './web-loops.js'

/** The process in which the loops run. */
report(await timeLoops([...(await tokenLoops()), ...(await webLoops()), ...(await guardLoops())], taskOf<Pace>()))
