/// What a unit of service costs: classes, marginal tables, references, discount and fee, refused
/// with knot and rule where they would bill wrongly, versioned with an effective-from.
@NullMarked
package io.viaduct.billing.tariff;

import org.jspecify.annotations.NullMarked;
