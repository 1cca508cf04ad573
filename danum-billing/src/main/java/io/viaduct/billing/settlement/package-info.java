/// Charging intervals from posting to settlement: a SNAPT's report bills an interval, which becomes
/// final after the grace time. A late report becomes an adjustment.
@NullMarked
package io.viaduct.billing.settlement;

import org.jspecify.annotations.NullMarked;
