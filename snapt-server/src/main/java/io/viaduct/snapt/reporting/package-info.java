/// The delivery of usage reports to the bridge. Reports are durable before they are sent, and are
/// kept until they are acknowledged.
@NullMarked
package io.viaduct.snapt.reporting;

import org.jspecify.annotations.NullMarked;
