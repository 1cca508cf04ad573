package io.viaduct.diameter.message;

/// Bounds on one message that is read.
///
/// @param messageBytes with the header
/// @param depth of Grouped AVPs; those of the message itself have depth 1
/// @param avps in the message, those of groups included
public record CodecLimits(int messageBytes, int depth, int avps) {
  /// The default: a message of 64 KiB. A charging message has about 1 KiB and a depth of 4.
  public static final CodecLimits STANDARD = new CodecLimits(65_536, 8, 1024);

  public CodecLimits {
    if (messageBytes < DiameterHeader.BYTES
        || messageBytes > MessageWriter.LENGTH_MAX
        || depth < 1
        || avps < 1) {
      throw new IllegalArgumentException(
          "need messageBytes 20 to 16777215, depth and avps >= 1, got "
              + messageBytes
              + ", "
              + depth
              + ", "
              + avps);
    }
  }
}
