package io.viaduct.diameter.message;

import java.util.OptionalLong;

/// A message: header and AVPs.
public record DiameterMessage(DiameterHeader header, AvpGroup avps) {
  /// Returns the Result-Code, or the Experimental-Result-Code of a vendor, or empty.
  public OptionalLong resultCode() {
    OptionalLong result = avps.number("Result-Code");
    return result.isPresent()
        ? result
        : avps.group("Experimental-Result").stream()
            .flatMapToLong(group -> group.number("Experimental-Result-Code").stream())
            .findFirst();
  }

  /// Returns true for the Result-Codes 2xxx.
  public boolean isSuccess() {
    return resultCode().orElse(0) / 1000 == 2;
  }

  /// Returns the message with another header.
  public DiameterMessage with(DiameterHeader other) {
    return new DiameterMessage(other, avps);
  }

  /// Returns the octets of the message.
  public byte[] encode() {
    return MessageWriter.write(this);
  }
}
