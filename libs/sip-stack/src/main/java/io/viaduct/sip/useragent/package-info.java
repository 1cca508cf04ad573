/// A SIP user agent for one user: stays registered, keeps a subscription to its tunnel session,
/// sends and receives messages. It is embedded in the CNAPT agent and is also a command of its own.
@NullMarked
package io.viaduct.sip.useragent;

import org.jspecify.annotations.NullMarked;
