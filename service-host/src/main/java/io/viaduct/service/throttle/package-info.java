/// Limits by source: token buckets in a bounded table, and the networks that they are kept for.
@NullMarked
package io.viaduct.service.throttle;

import org.jspecify.annotations.NullMarked;
