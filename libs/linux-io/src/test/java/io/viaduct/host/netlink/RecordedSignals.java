package io.viaduct.host.netlink;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Set;

/// A kernel that answers the questions about the signal strength with the bytes of [Stations]. Link
/// [#WIRELESS] is the only wireless one.
public final class RecordedSignals implements SignalSource {
  /// Number of the wireless link.
  public static final int WIRELESS = 3;

  private static final int SEQUENCE_AT = 8; // struct nlmsghdr

  private final SignalDialog dialog;

  /// @param listener takes the readings
  public RecordedSignals(SignalListener listener) {
    dialog = new SignalDialog(listener);
  }

  @Override
  public void watch(Set<Integer> linkIndexes) {
    dialog.watch(linkIndexes);
  }

  /// Lets one period pass, in which the access point is heard with this strength.
  ///
  /// @param dBm smoothed signal strength, −128 to −1
  public void period(int dBm) {
    dialog.begin();
    for (byte[] request = dialog.request(); request != null; request = dialog.request()) {
      int number = ByteBuffer.wrap(request).order(ByteOrder.LITTLE_ENDIAN).getInt(SEQUENCE_AT);
      dialog.read(ByteBuffer.wrap(answer(request, number, dBm)));
    }
  }

  private static byte[] answer(byte[] request, int number, int dBm) {
    if (Arrays.equals(request, StationMessages.familyRequest(number))) {
      return Stations.hex(
          Stations.numbered(Stations.PRESENT, number),
          Stations.numbered(Stations.ACKNOWLEDGED, number));
    }
    byte[] wireless = StationMessages.stationRequest(Stations.FAMILY, number, WIRELESS);
    return Arrays.equals(request, wireless)
        ? Stations.hex(
            Stations.numbered(Stations.station(dBm), number),
            Stations.numbered(Stations.DONE, number))
        : Stations.hex(Stations.numbered(Stations.REFUSED, number));
  }

  @Override
  public void close() {}
}
