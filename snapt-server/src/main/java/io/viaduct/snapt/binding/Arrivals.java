package io.viaduct.snapt.binding;

import com.google.protobuf.ByteString;
import io.viaduct.snapt.napt.InnerAddresses;
import io.viaduct.snapt.napt.PublicAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// The sessions that other SNAPTs hand over, and whose devices have not come yet. A device has one
/// for each of its addresses; a later one replaces it. Owner: the control thread.
public final class Arrivals {
  /// Time for which a device may take to come, in ms.
  public static final long WAIT_MS = 5_000;

  /// Most sessions that are waited for.
  static final int WAITING_MAX = 1_024;

  private final List<Arrival> waiting = new ArrayList<>();

  /// Waits for a device.
  ///
  /// @return false if too many are waited for
  public boolean expect(Arrival arrival) {
    Arrival before =
        first(each -> each.isOf(arrival.deviceKey()) && each.address().equals(arrival.address()));
    if (before == null && waiting.size() >= WAITING_MAX) {
      return false;
    }
    forget(before);
    waiting.add(arrival);
    if (before != null) {
      before.listener().lapsed();
    }
    return true;
  }

  /// Returns whether another device is waited for with this address.
  ///
  /// @param deviceKey of the device that may have it
  public boolean has(PublicAddress address, ByteString deviceKey) {
    return first(each -> each.address().overlaps(address) && !each.isOf(deviceKey)) != null;
  }

  boolean has(PublicAddress address) {
    return first(each -> each.address().overlaps(address)) != null;
  }

  /// Returns the hand-over of a device that opens a session, and forgets it.
  ///
  /// @param number that the device names; 0 for any
  /// @return null if there is none for these addresses
  @Nullable Arrival claim(ByteString deviceKey, InnerAddresses inner, long number) {
    Arrival arrival =
        first(each ->
            each.isOf(deviceKey)
                && each.inner().equals(inner)
                && (number == 0 || number == each.number()));
    forget(arrival);
    return arrival;
  }

  private @Nullable Arrival first(Predicate<Arrival> that) {
    for (Arrival each : waiting) {
      if (that.test(each)) {
        return each;
      }
    }
    return null;
  }

  /// Waits no more, because the other SNAPT has given up.
  public void forget(@Nullable Arrival arrival) {
    waiting.removeIf(each -> each == arrival);
  }

  /// Forgets the devices that have not come in time.
  void onTick(long nowMs) {
    List<Arrival> late = waiting.stream().filter(each -> nowMs >= each.untilMs()).toList();
    for (Arrival each : late) {
      forget(each);
      each.listener().lapsed();
    }
  }

  /// Forgets all devices.
  void stop() {
    List<Arrival> all = List.copyOf(waiting);
    waiting.clear();
    all.forEach(each -> each.listener().lapsed());
  }

  /// Returns the number of sessions that are waited for.
  public int waiting() {
    return waiting.size();
  }
}
