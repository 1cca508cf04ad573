package io.viaduct.tunnel.session;

import io.viaduct.tunnel.key.Aead;
import io.viaduct.tunnel.key.Direction;
import io.viaduct.tunnel.key.KeyChain;
import io.viaduct.tunnel.key.Opener;
import io.viaduct.tunnel.restore.ControlReceiver;
import io.viaduct.tunnel.restore.PacketRestorer;
import io.viaduct.tunnel.restore.Resequencer;
import io.viaduct.tunnel.restore.SegmentClamp;
import io.viaduct.tunnel.terms.TunnelTerms;

/// The inbound half of a session. The way of a datagram: [DatagramReceiver] checks and opens it →
/// [PathExchange] takes it, or [PacketRestorer] turns its records into packets → the sink.
final class InboundHalf {
  private final Opener opener;
  final DatagramReceiver receiver;
  final PacketRestorer restorer;

  /// Creates the half that receives.
  ///
  /// @param outbound sender of acknowledgements, and of the packets whose size follows the path
  /// @param path handles the datagrams that are about the path
  InboundHalf(
      SessionState state, OutboundHalf outbound, PathExchange path, LoopMemory memory, Aead aead) {
    TunnelTerms terms = state.terms;
    Direction direction = state.atDevice ? Direction.DOWN : Direction.UP;
    opener =
        new Opener(
            new KeyChain(terms.aead(), terms.secret(), direction), terms.limits().hasCopies());
    Resequencer resequencer = new Resequencer(memory.allocator, state.verdicts);
    restorer =
        new PacketRestorer(
            memory.restored,
            state.flows,
            state.controls,
            state.stats,
            state.totals,
            state.verdicts,
            state.histories.received(),
            new ControlReceiver(
                state.flows,
                outbound.sealer,
                memory.restored.coalescer(),
                state.histories.sent(),
                state.bodies,
                resequencer,
                state.terms.limits(),
                state.verdicts,
                !state.atDevice),
            resequencer,
            new SegmentClamp(outbound::innerMtu, state.verdicts),
            state.peerClock,
            !state.atDevice);
    receiver = new DatagramReceiver(state, memory, aead, opener, path, restorer);
  }

  /// Returns the least number of datagrams that the peer has sent, from its sequence numbers.
  long expectedDatagrams() {
    return opener.highest() + 1;
  }

  /// Gives the memory back and wipes the keys.
  void close() {
    receiver.close();
    restorer.close();
    opener.wipe();
  }
}
