/// Accounting records of posted reports for charging data functions and RADIUS servers (ADR 0069,
/// ADR 0074).
@NullMarked
package io.viaduct.billing.accounting;

import org.jspecify.annotations.NullMarked;
