package io.viaduct.cnapt.control;

import com.google.protobuf.ByteString;
import io.netty.channel.EventLoop;
import io.viaduct.cnapt.snapts.SnaptTerms;
import io.viaduct.tunnel.control.v1.Relay;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/// Takes what a SNAPT tells about SNAPTs. Of itself it tells its state and its load. About others,
/// and about prices, only the bridge is believed, whose signed directory a SNAPT carries; where no
/// bridge signs one, a list only says which SNAPTs there are. Owner: the control loop.
final class SnaptNews {
  private final BridgeDirectory bridge;
  private final SnaptOrder order;
  private final ControlListener listener;
  private final RelayLists lists;

  /// @param taken called with the SNAPTs that take new sessions; never with an empty list
  SnaptNews(
      EventLoop loop,
      BridgeDirectory bridge,
      SnaptOrder order,
      ControlListener listener,
      Consumer<List<Snapt>> taken) {
    this.bridge = bridge;
    this.order = order;
    this.listener = listener;
    this.lists = new RelayLists(loop, taken);
  }

  /// Sets the SNAPTs that the bridge has granted.
  ///
  /// @param snapts not empty
  void granted(List<Snapt> snapts) {
    lists.granted(snapts);
  }

  /// Takes a list.
  ///
  /// @param sender id of the SNAPT of the session; empty before the first one
  /// @param complete true if the list has all SNAPTs
  /// @param signed the bridge's directory; empty if there is none
  void take(String sender, List<Relay> listed, boolean complete, ByteString signed) {
    listed.stream().filter(each -> each.getSnaptId().equals(sender)).forEach(this::ofItself);
    if (!signed.isEmpty()) {
      bridge.read(signed).ifPresent(this::ofBridge);
    } else if (complete && !bridge.isSigned() && !lists.areGranted()) {
      order.listed(listed);
      lists.take(listed);
    }
  }

  private void ofItself(Relay own) {
    int percent = Math.min(100, own.getLoadPercent());
    order.load(own.getSnaptId(), percent);
    listener.told(own.getState() == Relay.State.DRAINING, own.getDrainDeadlineMs(), percent);
  }

  private void ofBridge(List<Relay> directory) {
    Map<String, SnaptTerms> terms = new HashMap<>();
    directory.forEach(each ->
        terms.put(each.getSnaptId(), SnaptTerms.of(each.getRegion(), each.getSurchargesList())));
    order.told(directory, terms);
    listener.terms(terms);
    lists.take(directory);
  }

  /// Returns the number of lists, and of SNAPTs in them, that were ignored; any thread may call
  /// this.
  long ignored() {
    return lists.ignored();
  }

  /// Takes no list any more.
  void close() {
    lists.close();
  }
}
