/// Accounting records of posted reports for charging data functions (Rf, ADR 0069).
@NullMarked
package io.viaduct.billing.accounting;

import org.jspecify.annotations.NullMarked;
