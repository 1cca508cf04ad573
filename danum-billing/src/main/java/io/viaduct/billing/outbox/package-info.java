/// Webhooks that users and operators make: endpoints, the outbox of their events, and deliveries.
@NullMarked
package io.viaduct.billing.outbox;

import org.jspecify.annotations.NullMarked;
