/// The life of a charging interval: corrected by the report of the SNAPT, final after the grace
/// time, adjusted when the report comes late.
@NullMarked
package io.viaduct.billing.settlement;

import org.jspecify.annotations.NullMarked;
