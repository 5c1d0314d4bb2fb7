/**
 * How many sessions of one user a store gives at a time. Somebody with the password of a user can begin any number of
 * sessions, and a list of all of them would not come within the time limit of a call.
 */
export const MOST_LISTED = 1000
