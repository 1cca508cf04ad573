/// Monthly partitions, the retention of months and of personal data, and the erasure of users (ADR
/// 0059).
@NullMarked
package io.viaduct.billing.retention;

import org.jspecify.annotations.NullMarked;
