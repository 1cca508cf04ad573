/// Wallets: money that is spent before prepaid money, and that expires (ADR 0043).
@NullMarked
package io.viaduct.billing.wallet;

import org.jspecify.annotations.NullMarked;
