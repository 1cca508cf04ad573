/// A SIP user agent for one user: stays registered, holds a subscription to its tunnel session,
/// sends and takes messages. Embedded in the agent; also a command of its own.
@NullMarked
package io.viaduct.sip.useragent;

import org.jspecify.annotations.NullMarked;
