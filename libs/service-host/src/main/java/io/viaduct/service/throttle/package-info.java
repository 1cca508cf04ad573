/// Rate limits by source: token buckets in a bounded table, with one key per source network.
@NullMarked
package io.viaduct.service.throttle;

import org.jspecify.annotations.NullMarked;
