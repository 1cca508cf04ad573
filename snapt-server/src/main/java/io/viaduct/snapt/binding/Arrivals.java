package io.viaduct.snapt.binding;

import com.google.protobuf.ByteString;
import io.viaduct.snapt.napt.InnerAddresses;
import io.viaduct.snapt.napt.PublicAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The sessions that other SNAPTs hand over, and whose devices have not come yet. One per device; a
/// later one replaces it. Owner: the control thread.
public final class Arrivals {
  /// Time for which a device may take to come, in ms.
  public static final long WAIT_MS = 5_000;

  /// Most devices that are waited for.
  static final int WAITING_MAX = 1_024;

  private final Map<ByteString, Arrival> waiting = new HashMap<>();

  /// Waits for a device.
  ///
  /// @return false if too many are waited for
  public boolean expect(Arrival arrival) {
    if (waiting.size() >= WAITING_MAX && !waiting.containsKey(arrival.deviceKey())) {
      return false;
    }
    Arrival before = waiting.put(arrival.deviceKey(), arrival);
    if (before != null) {
      before.listener().lapsed();
    }
    return true;
  }

  /// Returns whether another device is waited for with this address.
  ///
  /// @param deviceKey of the device that may have it
  public boolean has(PublicAddress address, ByteString deviceKey) {
    return waiting.values().stream()
        .anyMatch(each -> each.address().overlaps(address) && !each.deviceKey().equals(deviceKey));
  }

  boolean has(PublicAddress address) {
    return waiting.values().stream().anyMatch(each -> each.address().overlaps(address));
  }

  /// Returns the hand-over of a device that opens a session, and forgets it.
  ///
  /// @return null if there is none for these addresses
  @Nullable Arrival claim(ByteString deviceKey, InnerAddresses inner) {
    Arrival arrival = waiting.get(deviceKey);
    return arrival != null && arrival.inner().equals(inner) ? waiting.remove(deviceKey) : null;
  }

  /// Waits no more, because the other SNAPT has given up.
  public void forget(Arrival arrival) {
    if (waiting.get(arrival.deviceKey()) == arrival) {
      waiting.remove(arrival.deviceKey());
    }
  }

  /// Forgets the devices that have not come in time.
  void onTick(long nowMs) {
    List<Arrival> late = waiting.values().stream().filter(each -> nowMs >= each.untilMs()).toList();
    for (Arrival each : late) {
      waiting.remove(each.deviceKey(), each);
      each.listener().lapsed();
    }
  }

  /// Forgets all devices.
  void stop() {
    List<Arrival> all = List.copyOf(waiting.values());
    waiting.clear();
    all.forEach(each -> each.listener().lapsed());
  }

  /// Returns the number of devices that are waited for.
  public int waiting() {
    return waiting.size();
  }
}
