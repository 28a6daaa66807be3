// SPDX-License-Identifier: Apache-2.0
// The list of profiles that the server found.
import { Profiles } from "../pages/Profiles";

export function ProfilesPlace() {
  return <Profiles />;
}
