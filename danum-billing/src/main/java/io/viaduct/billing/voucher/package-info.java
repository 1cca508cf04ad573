/// Vouchers: money that is sold to a bearer, and redeemed once by a user.
@NullMarked
package io.viaduct.billing.voucher;

import org.jspecify.annotations.NullMarked;
