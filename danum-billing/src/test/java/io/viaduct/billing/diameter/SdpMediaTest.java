package io.viaduct.billing.diameter;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.call.MediaPlace;
import io.viaduct.diameter.dictionary.Dictionary;
import io.viaduct.diameter.message.AvpBuilder;
import io.viaduct.diameter.message.AvpGroup;
import java.util.List;
import org.junit.jupiter.api.Test;

class SdpMediaTest {
  /// Returns a request with one medium.
  static AvpGroup request(List<String> session, String media, List<String> lines) {
    return new AvpBuilder(Dictionary.standard())
        .group(
            "Service-Information",
            service ->
                service.group(
                    "IMS-Information",
                    ims -> {
                      session.forEach(line -> ims.add("SDP-Session-Description", line));
                      ims.group(
                          "SDP-Media-Component",
                          component -> {
                            component.add("SDP-Media-Name", media);
                            lines.forEach(line -> component.add("SDP-Media-Description", line));
                          });
                    }))
        .build();
  }

  private static MediaPlace at(String address, int port) {
    return new MediaPlace(address, port);
  }

  @Test
  void addressOfTheSessionAndPortOfTheMediumAreAPlaceWithThePortOfRtcp() {
    assertThat(
            SdpMedia.of(
                request(List.of("c=IN IP4 192.0.2.7"), "m=audio 4000 RTP/AVP 0", List.of())))
        .containsExactlyInAnyOrder(at("192.0.2.7", 4000), at("192.0.2.7", 4001));
  }

  @Test
  void theMediumsOwnAddressCountsAndRtcpAndCandidatesAreAdded() {
    List<String> lines =
        List.of(
            "c=IN IP6 2001:db8::7",
            "a=rtcp:5005 IN IP4 192.0.2.9",
            "a=candidate:1 1 UDP 2130706431 198.51.100.3 6000 typ host",
            "a=candidate:2 1 TCP 2130706431 198.51.100.4 6000 typ host",
            "a=sendrecv");
    assertThat(
            SdpMedia.of(
                request(List.of("v=0", "c=IN IP4 192.0.2.7"), "audio 4000/2 RTP/AVP 0", lines)))
        .containsExactlyInAnyOrder(
            at("2001:db8:0:0:0:0:0:7", 4000),
            at("2001:db8:0:0:0:0:0:7", 4001),
            at("192.0.2.9", 5005),
            at("198.51.100.3", 6000));
  }

  @Test
  void whatIsRefusedOrNoAddressIsNoPlace() {
    for (String media :
        List.of(
            "m=audio 0 RTP/AVP 0",
            "m=audio 70000 RTP/AVP 0",
            "m=audio",
            "",
            "m=message 5000 TCP/MSRP *")) {
      assertThat(SdpMedia.of(request(List.of("c=IN IP4 192.0.2.7"), media, List.of())))
          .as(media)
          .isEmpty();
    }
    for (String connection :
        List.of(
            "c=IN IP4 host.example.org",
            "c=IN IP4 0.0.0.0",
            "c=IN IP4 ",
            "c=IN IP6 fe80::1%eth0",
            "s=c=IN IP4 192.0.2.7")) {
      assertThat(SdpMedia.of(request(List.of(connection), "m=audio 4000 RTP/AVP 0", List.of())))
          .as(connection)
          .isEmpty();
    }
    assertThat(SdpMedia.of(new AvpGroup(List.of()))).isEmpty();
  }

  @Test
  void aMessageHasNoMorePlacesThanItsLimit() {
    List<String> many =
        java.util.stream.IntStream.range(0, 400)
            .mapToObj(i -> "a=candidate:1 1 UDP 1 192.0.2.7 " + (10_000 + i) + " typ host")
            .toList();
    assertThat(SdpMedia.of(request(List.of("c=IN IP4 192.0.2.7"), "audio 4000 RTP/AVP 0", many)))
        .hasSize(SdpMedia.PLACES_MAX);
  }
}
