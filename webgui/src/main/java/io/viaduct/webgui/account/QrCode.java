package io.viaduct.webgui.account;

import com.google.zxing.WriterException;
import com.google.zxing.qrcode.decoder.ErrorCorrectionLevel;
import com.google.zxing.qrcode.encoder.ByteMatrix;
import com.google.zxing.qrcode.encoder.Encoder;

/// A QR code (ISO/IEC 18004) as a path of SVG, which a page shows without a script or an image.
///
/// @param size width and height with the quiet zone of four modules around
/// @param path a square for each dark module
public record QrCode(int size, String path) {
  private static final int QUIET = 4;

  /// Returns the code of a text.
  ///
  /// @throws IllegalArgumentException if the text is too long for one
  public static QrCode of(String text) {
    ByteMatrix modules;
    try {
      modules = Encoder.encode(text, ErrorCorrectionLevel.M).getMatrix();
    } catch (WriterException e) {
      throw new IllegalArgumentException("too long for a QR code: " + text.length(), e);
    }
    StringBuilder path = new StringBuilder();
    for (int y = 0; y < modules.getHeight(); y++) {
      for (int x = 0; x < modules.getWidth(); x++) {
        if (modules.get(x, y) == 1) {
          path.append('M').append(x + QUIET).append(' ').append(y + QUIET).append("h1v1h-1z");
        }
      }
    }
    return new QrCode(modules.getWidth() + 2 * QUIET, path.toString());
  }
}
