/// The signature of webhooks, of those that billing sends and of those that it receives.
@NullMarked
package io.viaduct.billing.webhook;

import org.jspecify.annotations.NullMarked;
