/// Subscriptions at the notifier's end (RFC 6665), for all event packages: their dialogs, the table
/// that the bridges share, and the sending of NOTIFYs.
@NullMarked
package io.viaduct.bridge.subscription;

import org.jspecify.annotations.NullMarked;
