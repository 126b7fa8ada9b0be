variable "region" {}

resource "aws_db_instance" "shop" {
  availability_zone = var.region
}
