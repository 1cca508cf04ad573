/// Files of charging data records: CSV, JSON Lines, and those of 3GPP TS 32.297.
@NullMarked
package io.viaduct.billing.cdr;

import org.jspecify.annotations.NullMarked;
