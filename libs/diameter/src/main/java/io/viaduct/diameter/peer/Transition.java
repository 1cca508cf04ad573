package io.viaduct.diameter.peer;

import static io.viaduct.diameter.peer.PeerAction.*;
import static io.viaduct.diameter.peer.PeerState.*;

import java.util.List;

/// The table of RFC 6733 section 5.6: what a state does at an event.
///
/// @param actions in their order
record Transition(PeerState next, List<PeerAction> actions) {
  /// Returns the table's line, or the state itself without actions if the table has none.
  static Transition of(PeerState state, PeerEvent event) {
    return switch (state) {
      case CLOSED -> closed(event);
      case WAIT_CONN_ACK -> waitConnAck(event);
      case WAIT_I_CEA -> waitCea(event);
      case WAIT_CONN_ACK_ELECT -> waitConnAckElect(event);
      case WAIT_RETURNS -> waitReturns(event);
      case R_OPEN -> open(state, event, PeerEvent.R_PEER_DISC, R_DISC);
      case I_OPEN -> open(state, event, PeerEvent.I_PEER_DISC, I_DISC);
      case CLOSING -> closing(event);
    };
  }

  private static Transition closed(PeerEvent event) {
    return switch (event) {
      case START -> to(WAIT_CONN_ACK, I_SND_CONN_REQ);
      case R_CONN_CER -> to(R_OPEN, R_ACCEPT, PROCESS_CER, R_SND_CEA);
      default -> to(CLOSED);
    };
  }

  private static Transition waitConnAck(PeerEvent event) {
    return switch (event) {
      case I_RCV_CONN_ACK -> to(WAIT_I_CEA, I_SND_CER);
      case I_RCV_CONN_NACK -> to(CLOSED, CLEANUP);
      case R_CONN_CER -> to(WAIT_CONN_ACK_ELECT, R_ACCEPT, PROCESS_CER);
      case TIMEOUT -> to(CLOSED, ERROR);
      default -> to(WAIT_CONN_ACK);
    };
  }

  private static Transition waitCea(PeerEvent event) {
    return switch (event) {
      case I_RCV_CEA -> to(I_OPEN, PROCESS_CEA);
      case R_CONN_CER -> to(WAIT_RETURNS, R_ACCEPT, PROCESS_CER, ELECT);
      case I_PEER_DISC -> to(CLOSED, I_DISC);
      case I_RCV_NON_CEA, TIMEOUT -> to(CLOSED, ERROR);
      default -> to(WAIT_I_CEA);
    };
  }

  private static Transition waitConnAckElect(PeerEvent event) {
    return switch (event) {
      case I_RCV_CONN_ACK -> to(WAIT_RETURNS, I_SND_CER, ELECT);
      case I_RCV_CONN_NACK -> to(R_OPEN, R_SND_CEA);
      case R_PEER_DISC -> to(WAIT_CONN_ACK, R_DISC);
      case R_CONN_CER -> to(WAIT_CONN_ACK_ELECT, R_REJECT);
      case TIMEOUT -> to(CLOSED, ERROR);
      default -> to(WAIT_CONN_ACK_ELECT);
    };
  }

  private static Transition waitReturns(PeerEvent event) {
    return switch (event) {
      // A refusing CEA is not in the table: the peer gives this connection up, as if it closed it.
      case WIN_ELECTION, I_PEER_DISC, I_RCV_NON_CEA -> to(R_OPEN, I_DISC, R_SND_CEA);
      case I_RCV_CEA -> to(I_OPEN, PROCESS_CEA, R_DISC);
      case R_PEER_DISC -> to(WAIT_I_CEA, R_DISC);
      case R_CONN_CER -> to(WAIT_RETURNS, R_REJECT);
      case TIMEOUT -> to(CLOSED, ERROR);
      default -> to(WAIT_RETURNS);
    };
  }

  private static Transition open(
      PeerState open, PeerEvent event, PeerEvent gone, PeerAction disconnect) {
    if (event == gone) {
      return to(CLOSED, disconnect);
    }
    return switch (event) {
      case RCV_MESSAGE -> to(open, PROCESS);
      case RCV_DWR -> to(open, PROCESS_DWR, SND_DWA);
      case RCV_DWA -> to(open, PROCESS_DWA);
      case R_CONN_CER -> to(open, R_REJECT);
      case STOP -> to(CLOSING, SND_DPR);
      case RCV_DPR -> to(CLOSING, SND_DPA);
      default -> to(open);
    };
  }

  private static Transition closing(PeerEvent event) {
    return switch (event) {
      // The answers to requests in flight may come before the connection ends.
      case RCV_MESSAGE -> to(CLOSING, PROCESS);
      case RCV_DPA -> to(CLOSED, I_DISC, R_DISC);
      case TIMEOUT -> to(CLOSED, ERROR);
      case I_PEER_DISC -> to(CLOSED, I_DISC);
      case R_PEER_DISC -> to(CLOSED, R_DISC);
      case R_CONN_CER -> to(CLOSING, R_REJECT);
      default -> to(CLOSING);
    };
  }

  private static Transition to(PeerState next, PeerAction... actions) {
    return new Transition(next, List.of(actions));
  }
}
