/// Usage reports on their way to the bridge: durable before they are sent, kept until they are
/// acknowledged.
@NullMarked
package io.viaduct.snapt.reporting;

import org.jspecify.annotations.NullMarked;
