package io.viaduct.diameter.peer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// The table of RFC 6733 section 5.6, line by line. Send-Message is not an event here: a request is
/// given to an open peer only. Three lines are ours and are marked.
class TransitionTest {
  private static final String TABLE =
      """
      CLOSED              START            I_SND_CONN_REQ                  WAIT_CONN_ACK
      CLOSED              R_CONN_CER       R_ACCEPT,PROCESS_CER,R_SND_CEA  R_OPEN
      WAIT_CONN_ACK       I_RCV_CONN_ACK   I_SND_CER                       WAIT_I_CEA
      WAIT_CONN_ACK       I_RCV_CONN_NACK  CLEANUP                         CLOSED
      WAIT_CONN_ACK       R_CONN_CER       R_ACCEPT,PROCESS_CER            WAIT_CONN_ACK_ELECT
      WAIT_CONN_ACK       TIMEOUT          ERROR                           CLOSED
      WAIT_I_CEA          I_RCV_CEA        PROCESS_CEA                     I_OPEN
      WAIT_I_CEA          R_CONN_CER       R_ACCEPT,PROCESS_CER,ELECT      WAIT_RETURNS
      WAIT_I_CEA          I_PEER_DISC      I_DISC                          CLOSED
      WAIT_I_CEA          I_RCV_NON_CEA    ERROR                           CLOSED
      WAIT_I_CEA          TIMEOUT          ERROR                           CLOSED
      WAIT_CONN_ACK_ELECT I_RCV_CONN_ACK   I_SND_CER,ELECT                 WAIT_RETURNS
      WAIT_CONN_ACK_ELECT I_RCV_CONN_NACK  R_SND_CEA                       R_OPEN
      WAIT_CONN_ACK_ELECT R_PEER_DISC      R_DISC                          WAIT_CONN_ACK
      WAIT_CONN_ACK_ELECT R_CONN_CER       R_REJECT                        WAIT_CONN_ACK_ELECT
      WAIT_CONN_ACK_ELECT TIMEOUT          ERROR                           CLOSED
      WAIT_RETURNS        WIN_ELECTION     I_DISC,R_SND_CEA                R_OPEN
      WAIT_RETURNS        I_PEER_DISC      I_DISC,R_SND_CEA                R_OPEN
      WAIT_RETURNS        I_RCV_NON_CEA    I_DISC,R_SND_CEA                R_OPEN         # ours
      WAIT_RETURNS        I_RCV_CEA        PROCESS_CEA,R_DISC              I_OPEN
      WAIT_RETURNS        R_PEER_DISC      R_DISC                          WAIT_I_CEA
      WAIT_RETURNS        R_CONN_CER       R_REJECT                        WAIT_RETURNS
      WAIT_RETURNS        TIMEOUT          ERROR                           CLOSED
      R_OPEN              RCV_MESSAGE      PROCESS                         R_OPEN
      R_OPEN              RCV_DWR          PROCESS_DWR,SND_DWA             R_OPEN
      R_OPEN              RCV_DWA          PROCESS_DWA                     R_OPEN
      R_OPEN              R_CONN_CER       R_REJECT                        R_OPEN
      R_OPEN              STOP             SND_DPR                         CLOSING
      R_OPEN              RCV_DPR          SND_DPA                         CLOSING
      R_OPEN              R_PEER_DISC      R_DISC                          CLOSED
      I_OPEN              RCV_MESSAGE      PROCESS                         I_OPEN
      I_OPEN              RCV_DWR          PROCESS_DWR,SND_DWA             I_OPEN
      I_OPEN              RCV_DWA          PROCESS_DWA                     I_OPEN
      I_OPEN              R_CONN_CER       R_REJECT                        I_OPEN
      I_OPEN              STOP             SND_DPR                         CLOSING
      I_OPEN              RCV_DPR          SND_DPA                         CLOSING
      I_OPEN              I_PEER_DISC      I_DISC                          CLOSED
      CLOSING             RCV_MESSAGE      PROCESS                         CLOSING        # ours
      CLOSING             R_CONN_CER       R_REJECT                        CLOSING        # ours
      CLOSING             RCV_DPA          I_DISC,R_DISC                   CLOSED
      CLOSING             TIMEOUT          ERROR                           CLOSED
      CLOSING             I_PEER_DISC      I_DISC                          CLOSED
      CLOSING             R_PEER_DISC      R_DISC                          CLOSED
      """;

  @Test
  void everyLineOfTheTableHoldsAndEveryOtherEventChangesNothing() {
    Map<List<Object>, Transition> expected = new HashMap<>();
    TABLE
        .lines()
        .map(line -> line.replaceAll("#.*", "").split("\\s+"))
        .forEach(words ->
            expected.put(
                List.of(PeerState.valueOf(words[0]), PeerEvent.valueOf(words[1])),
                new Transition(
                    PeerState.valueOf(words[3]),
                    Arrays.stream(words[2].split(",")).map(PeerAction::valueOf).toList())));
    assertThat(expected).hasSize(43);
    for (PeerState state : PeerState.values()) {
      for (PeerEvent event : PeerEvent.values()) {
        assertThat(Transition.of(state, event))
            .as("%s at %s", state, event)
            .isEqualTo(
                expected.getOrDefault(List.of(state, event), new Transition(state, List.of())));
      }
    }
  }
}
