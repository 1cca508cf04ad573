/// Joins sockets, message guard and transactions to one SIP endpoint, and counts what it does.
@NullMarked
package io.viaduct.sip.endpoint;

import org.jspecify.annotations.NullMarked;
