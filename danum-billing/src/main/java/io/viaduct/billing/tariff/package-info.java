/// Tariffs: classes, marginal tables, references, discount and fee. Each version has a time from
/// which it is in force. A tariff that would bill wrongly is refused with knot and rule.
@NullMarked
package io.viaduct.billing.tariff;

import org.jspecify.annotations.NullMarked;
