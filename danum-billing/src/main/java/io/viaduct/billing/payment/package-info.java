/// Payments of users at a payment provider, which tells billing by webhook that they were paid.
@NullMarked
package io.viaduct.billing.payment;

import org.jspecify.annotations.NullMarked;
