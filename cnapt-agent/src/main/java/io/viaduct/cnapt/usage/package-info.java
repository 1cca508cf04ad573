/// The device's own reports of usage (ADR 0062): what the agent saw of each interval, signed, kept
/// on disk, and sent to the bridge.
@NullMarked
package io.viaduct.cnapt.usage;

import org.jspecify.annotations.NullMarked;
