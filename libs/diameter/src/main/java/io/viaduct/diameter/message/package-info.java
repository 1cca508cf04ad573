/// Messages and AVPs, and the codec between them and bytes. Pure: no socket, no thread, no clock.
/// Every refusal is a value of `Refusal` with the Result-Code that the RFC asks for.
@NullMarked
package io.viaduct.diameter.message;

import org.jspecify.annotations.NullMarked;
