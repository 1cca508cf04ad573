/// Re-rating: bills of a past time are made again under another tariff (ADR 0053).
@NullMarked
package io.viaduct.billing.rerating;

import org.jspecify.annotations.NullMarked;
