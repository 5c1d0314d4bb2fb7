/** CPU microseconds of the bare route on the machine for which the goals were set. */
export const REFERENCE_BARE = 95

/** Says what is done with {@link REFERENCE_BARE}, for the text beside the figures. */
export const ABOUT_REFERENCE = `All times stretch with the machine, and the goals in µs were set on one where the bare route costs ${REFERENCE_BARE} µs: they are compared with the measured ratio to the bare route, times ${REFERENCE_BARE} µs.`
